import { expect, it } from 'vitest'
import { builtUrl } from './built-url.js'

it('from the sources a worker is its built file, from the built tree itself', () => {
  const built = 'file:///home/src/pml/dist/store/worker.js'
  expect(builtUrl('./worker.js', 'file:///home/src/pml/src/store/a.ts').href).toBe(built)
  expect(builtUrl('./worker.js', 'file:///home/src/pml/dist/store/a.js').href).toBe(built)
})
