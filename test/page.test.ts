/** The page in a real browser: what waits for a person is answered by a click. Skipped where no Chromium is on PATH. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeTool, openTestGateway, type TestGateway } from '../src/gateway/test-gateway.contract.js'
import { eventually } from './harness.js'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const executablePath = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => names.map((name) => join(folder, name)))
  .find(isProgram)

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

if (executablePath === undefined)
  process.stderr.write(`test/page.test.ts is skipped: none of ${names.join(', ')} is on PATH\n`)

describe.skipIf(executablePath === undefined)('the page in a browser', () => {
  let browser: Browser
  let page: Page
  let house: TestGateway
  /** What the page complained of: a refused script or style shows here. */
  let complaints: string[]

  beforeAll(async () => {
    // In a container there is no user namespace for Chromium's own sandbox; it opens nothing but our page.
    browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] })
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    house = openTestGateway({ tools: [makeTool('files', 'read'), makeTool('files', 'delete')] })
    complaints = []
    page = await browser.newPage()
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
    page.on('pageerror', (error) => void complaints.push(String(error)))
  })
  afterEach(async () => {
    await page.close()
    await house.close()
  })

  const run = async (path: string): Promise<string> => {
    const tasks = [{ id: 'rm', tool: 'files:delete', arguments: { text: path } }]
    const body = JSON.stringify({ tasks, intent: `delete ${path}` })
    const answer = await fetch(`${await house.listen('local')}/api/run`, { method: 'POST', body })
    return ((await answer.json()) as { id: string }).id
  }
  const statusOf = async (id: string) => (await house.runs.find(id))?.status

  it.each([
    ['Approve', 'complete', ['<img src=x onerror=alert(1)>.txt']],
    ['Reject', 'failed', []],
  ])('a click on %s makes the run %s', async (button, status, paths) => {
    const id = await run('<img src=x onerror=alert(1)>.txt')
    await page.goto(await house.listen())
    const ask = page.locator('.ask')
    expect(await ask.innerText()).toContain('pml run wants to call files:delete')
    expect(await ask.locator('pre').innerText()).toContain('"text": "<img src=x onerror=alert(1)>.txt"')
    await ask.getByRole('button', { name: button }).click()
    await eventually(
      () => statusOf(id),
      (now) => now === status,
    )
    expect(house.calls.map(({ arguments: args }) => args.text)).toEqual(paths)
    await page.getByText('Nothing: no decision is pending.').waitFor()
    expect(await page.locator('#said').innerText()).toBe(button === 'Approve' ? 'Approved.' : 'Rejected.')
    await page.locator('tr', { hasText: id }).getByText(status).waitFor()
    expect(complaints).toEqual([])
  })

  it('shows what happens without being reloaded, well before it would look again by itself', async () => {
    await page.goto(await house.listen())
    await page.evaluate('window.isTheSamePage = true')
    await page.getByText('Nothing: no decision is pending.').waitFor()
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    // From here on nothing but the stream of events makes it look.
    await page.evaluate('for (let id = 0; id < 100; id++) clearInterval(id)')
    const id = await run('a.txt')
    await page.locator('.ask').waitFor({ timeout: 2_000 })
    const [decision] = (await house.runs.find(id))!.decisions!
    await house.runs.decide(decision!.id, { verdict: 'approve', by: 'command line' })
    await page.locator('tr', { hasText: id }).getByText('complete').waitFor({ timeout: 2_000 })
    expect(await page.evaluate('window.isTheSamePage')).toBe(true)
    expect(complaints).toEqual([])
  })

  it('what somebody points at does not move, and the second half of a double click answers nothing', async () => {
    const first = await run('first.txt')
    const second = await run('second.txt')
    await page.goto(await house.listen())
    await page.locator('.ask', { hasText: 'second.txt' }).hover()
    const [answered] = (await house.runs.find(first))!.decisions!
    await house.runs.decide(answered!.id, { verdict: 'reject', by: 'command line' })
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(await page.locator('.ask').count()).toBe(2)
    await page.mouse.move(0, 0)
    await eventually(
      () => page.locator('.ask').count(),
      (count) => count === 1,
    )
    const third = await run('third.txt')
    await eventually(
      () => page.locator('.ask').count(),
      (count) => count === 2,
    )
    await new Promise((resolve) => setTimeout(resolve, 800))
    await page.locator('.ask').first().getByRole('button', { name: 'Approve' }).dblclick({ delay: 60 })
    await eventually(
      () => statusOf(second),
      (now) => now === 'complete',
    )
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(await statusOf(third)).toBe('approval_required')
  })

  it('an answer that comes too late is told', async () => {
    const id = await run('a.txt')
    await page.goto(await house.listen())
    await page.locator('.ask').hover()
    const [decision] = (await house.runs.find(id))!.decisions!
    await house.runs.decide(decision!.id, { verdict: 'reject', by: 'command line' })
    await page.getByRole('button', { name: 'Approve' }).click()
    await eventually(
      () => page.locator('#said').innerText(),
      (said) => said !== '',
    )
    expect(await page.locator('#said').innerText()).not.toContain('Approved')
    expect(house.calls).toEqual([])
  })

  it('without scripts it is there to be read', async () => {
    const id = await run('a.txt')
    const context = await browser.newContext({ javaScriptEnabled: false })
    const still = await context.newPage()
    await still.goto(await house.listen())
    expect(await still.locator('.ask pre').innerText()).toContain('a.txt')
    expect(await still.getByRole('button', { name: 'Approve' }).isVisible()).toBe(false)
    expect(await still.locator('.ask').innerText()).toContain('pml approve ')
    await context.close()
    expect(await statusOf(id)).toBe('approval_required')
  })
})
