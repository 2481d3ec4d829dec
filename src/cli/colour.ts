import type { Io, Output } from './io.js'

export type Paint = (text: string) => string

export interface Colours {
  readonly bold: Paint
  readonly dim: Paint
  readonly red: Paint
  readonly green: Paint
  readonly yellow: Paint
}

/** Colour is for people: only on a terminal, and not where NO_COLOR is set (https://no-color.org). */
export function wantsColour(io: Io, output: Output): boolean {
  return output.isTTY === true && !io.env.NO_COLOR && io.env.TERM !== 'dumb'
}

export function coloursFor(io: Io, output: Output): Colours {
  const paint = (open: number, close: number): Paint =>
    wantsColour(io, output) ? (text) => `\u001b[${open}m${text}\u001b[${close}m` : (text) => text
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
  }
}
