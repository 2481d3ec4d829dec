/**
 * The room of other programs' configuration: where each MCP client keeps its servers, what stands there, and how its file
 * reads once the client is pointed at PML. Files are read here and changed in change-files.ts alone, which keeps a backup;
 * nothing is started and no server is spoken to.
 */
import type { CommonDefinition } from '../model/server-definition.js'

export type ClientName = 'claude-code' | 'claude-desktop' | 'cursor' | 'vscode' | 'windsurf' | 'zed' | 'codex'

/** One client's way of writing servers down. */
export interface ClientFormat {
  readonly name: ClientName
  readonly title: string
  /** Where its servers may stand, the user's own places first. */
  places(system: System): readonly Place[]
  /** Throws a ClientFileError where the text is not what the client writes. */
  read(text: string, place: Place, system: System): readonly Found[]
  /** The same text without some servers and with PML, where it is given; all else stays as it is, byte for byte. */
  connect(text: string, place: Place, change: Connection): string
  /** The servers of a place as they are written, by name. */
  entries(text: string, place: Place): Entries
  /** The same text with the servers of an older one in the place of its own; all else stays as it is, byte for byte. */
  restore(text: string, place: Place, older: string): string
}

/** The machine as a client sees it; given, so that every platform's places can be told on any. */
export interface System {
  readonly platform: NodeJS.Platform
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}

export type Entries = readonly (readonly [name: string, entry: unknown])[]

export interface Place {
  readonly file: string
  /** The way to the servers within the file, key by key. */
  readonly section: readonly string[]
  /** Set where they are one project's: its folder, in which they are started. */
  readonly project?: string
  /** Set where another edition of the client keeps files of its own. */
  readonly edition?: string
}

export type Found = FoundServer | LeftAlone | PmlItself

export interface FoundServer {
  readonly kind: 'server'
  readonly name: string
  readonly definition: ClientDefinition
  /** Keys of the client that mean nothing to us. */
  readonly ignored: readonly string[]
}

/** A server that we cannot take: it stays where it is. */
export interface LeftAlone {
  readonly kind: 'left'
  readonly name: string
  readonly reason: string
}

/** PML is no server behind itself. */
export interface PmlItself {
  readonly kind: 'pml'
  readonly name: string
}

/** A server in the common form; its texts are still the client's. */
export type ClientDefinition = CommonDefinition &
  (
    | {
        readonly command: Text
        readonly args: readonly Text[]
        readonly env: Readonly<Record<string, Text>>
        readonly cwd?: Text
      }
    | {
        readonly url: Text
        readonly sse: boolean
        readonly headers: Readonly<Record<string, Text>>
      }
  )

/** A text with the references that its client would resolve in it. */
export type Text = readonly Piece[]

export type Piece =
  | { readonly kind: 'literal'; readonly text: string }
  | {
      readonly kind: 'variable'
      readonly name: string
      readonly fallback?: string
      /** As the client writes it. */
      readonly raw: string
    }
  /** What the client asks a person for, and keeps. */
  | { readonly kind: 'asked'; readonly id: string; readonly raw: string }
  /** What only the client can know. */
  | { readonly kind: 'foreign'; readonly raw: string }

export interface Connection {
  readonly remove: readonly string[]
  readonly put?: PmlEntry
}

/** How a client starts PML. */
export interface PmlEntry {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Variables of the client's own environment that the gateway must see. */
  readonly inherit: readonly string[]
}
