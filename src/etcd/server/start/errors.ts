/** Why a member cannot start: the process prints it and exits with code 1. */
export class StartError extends Error {
  constructor(text: string) {
    super(text);
    this.name = 'StartError';
  }
}
