import { defineConfig } from 'vitest/config'

const common = { pool: 'forks', testTimeout: 60_000, hookTimeout: 120_000 } as const

const stories = [
  ...[
    'auth',
    'capabilities-cli',
    'conformance',
    'doctor',
    'examples',
    'first-config',
    'init',
    'journey',
    'learning',
  ],
  ...['page', 'pass-through', 'plan', 'procedures', 'real-servers', 'rows', 'steer'],
].map((name) => `test/${name}.test.ts`)

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...common,
          name: 'rooms',
          include: ['src/**/*.test.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      // Journeys that measure nothing go two at a time.
      {
        test: {
          ...common,
          name: 'stories',
          include: stories,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      // Each other journey is a house full of processes: one at a time, so that their times mean something.
      {
        test: {
          ...common,
          name: 'journeys',
          include: ['test/**/*.test.ts'],
          exclude: stories,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
