/** Why a member cannot start: the process prints it and exits with code 1. */
export class StartError extends Error {
  /** The log's message, which the error stands beside. */
  readonly announced: string;

  constructor(text: string, announced = 'discovery failed') {
    super(text);
    this.name = 'StartError';
    this.announced = announced;
  }
}
