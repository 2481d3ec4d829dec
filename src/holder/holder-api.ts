/** The control API of the gateway, wherever it runs: paths and bodies are those of gateway/api.ts. */
export interface HolderApi {
  get(path: string): Promise<unknown>
  post(path: string, body: unknown): Promise<unknown>
}
