/** What one check of `pml doctor` found. What is not good has one fix: a command, or an edit. */
export type Finding =
  | { readonly check: string; readonly level: 'ok'; readonly message: string }
  | {
      readonly check: string
      readonly level: 'warning' | 'broken'
      readonly message: string
      readonly fix: string
    }

export const ok = (check: string, message: string): Finding => ({ check, level: 'ok', message })

export const warning = (check: string, message: string, fix: string): Finding => ({
  check,
  level: 'warning',
  message,
  fix,
})

export const broken = (check: string, message: string, fix: string): Finding => ({
  check,
  level: 'broken',
  message,
  fix,
})
