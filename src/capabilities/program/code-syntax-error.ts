import { PmlError } from '../../errors.js'

/** 1-based. */
export interface CodePlace {
  readonly line: number
  readonly column: number
}

/** Code that cannot be read, and so is not run. */
export class CodeSyntaxError extends PmlError {
  constructor(
    what: string,
    readonly place?: CodePlace,
    hint = 'Correct the code: it is the body of an async function, in TypeScript.',
  ) {
    super(
      'CODE_SYNTAX',
      place === undefined ? what : `Line ${place.line}, column ${place.column}: ${what}`,
      hint,
    )
  }

  static ofImport(place: CodePlace): CodeSyntaxError {
    return new CodeSyntaxError(
      'import and export are not available in code.',
      place,
      'Use tools.server.tool(args) and capabilities.name(args): they are there already.',
    )
  }

  static ofDepth(): CodeSyntaxError {
    return new CodeSyntaxError(
      'The code is nested too deeply to be read.',
      undefined,
      'Split it into statements.',
    )
  }
}
