/**
 * Bounds nesting before parsing, since the parser recurses: how deep it gets would else depend on the stack that the
 * caller has left. What scalars and comments hold is no nesting, so the tokens are counted, not the text.
 */
import { CST, Lexer } from 'yaml';
import type { SyntaxProblem } from './syntax.ts';

/** Far above any config. A value counts as a level below its key until the line ends. */
const LIMIT = 400;

/** The place where nesting goes beyond the limit. */
export function tooDeep(text: string): SyntaxProblem | undefined {
  const nesting = new Nesting();
  for (const token of new Lexer().lex(text)) {
    if (nesting.take(token) > LIMIT) {
      return { offset: nesting.offset, message: 'exceeded max depth', hint: 'the document is nested too deeply' };
    }
  }
  return undefined;
}

class Nesting {
  /** Where the last token starts. */
  offset = 0;
  #end = 0;
  #lineStart = 0;
  #brackets = 0;
  /** Columns at which something starts that is still open. */
  readonly #columns: number[] = [];
  #isBlockText = false;

  /** How deep it is with one more token of the lexer. */
  take(token: string): number {
    const type = CST.tokenType(token);
    this.offset = this.#end;
    this.#open(type);
    if (type !== 'doc-mode' && type !== 'flow-error-end' && type !== 'scalar') {
      this.#pass(token);
    }
    return this.#brackets + this.#columns.length;
  }

  #open(type: CST.TokenType | null): void {
    switch (type) {
      case 'flow-map-start':
      case 'flow-seq-start':
        this.#brackets += 1;
        break;
      case 'flow-map-end':
      case 'flow-seq-end':
        this.#brackets = Math.max(0, this.#brackets - 1);
        break;
      case 'flow-error-end':
        this.#brackets = 0;
        break;
      case 'doc-start':
      case 'doc-end':
        this.#brackets = 0;
        this.#columns.length = 0;
        break;
      case 'block-scalar-header':
        this.#isBlockText = true;
        break;
      case 'scalar':
        // The text below `|` has its own columns; they close nothing.
        if (!this.#isBlockText) {
          this.#openColumn();
        }
        this.#isBlockText = false;
        break;
      case 'single-quoted-scalar':
      case 'double-quoted-scalar':
      case 'alias':
      case 'seq-item-ind':
      case 'explicit-key-ind':
        this.#openColumn();
        break;
    }
  }

  #openColumn(): void {
    if (this.#brackets > 0) {
      return;
    }
    const column = this.offset - this.#lineStart;
    while (this.#columns.length > 0 && this.#columns[this.#columns.length - 1]! >= column) {
      this.#columns.pop();
    }
    this.#columns.push(column);
  }

  #pass(token: string): void {
    this.#end += token.length;
    const newline = token.lastIndexOf('\n');
    if (newline !== -1) {
      this.#lineStart = this.offset + newline + 1;
    }
  }
}
