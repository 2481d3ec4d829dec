import { claudeCode } from './claude-code.js'
import { claudeDesktop } from './claude-desktop.js'
import type { ClientFormat } from './client-format.js'
import { codex } from './codex.js'
import { cursor } from './cursor.js'
import { vscode } from './vscode.js'
import { windsurf } from './windsurf.js'
import { zed } from './zed.js'

export const allClients: readonly ClientFormat[] = [
  claudeCode,
  claudeDesktop,
  cursor,
  vscode,
  windsurf,
  zed,
  codex,
]
