/** Input that a person can mend: printed as it is, exit code 2. */
export class BadInput extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BadInput';
  }
}
