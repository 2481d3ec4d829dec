import { defineConfig } from 'vitest/config'

const common = { pool: 'forks', testTimeout: 60_000, hookTimeout: 120_000 } as const

/** Journeys that measure nothing. */
const stories = [
  ...[
    'auth',
    'capabilities-cli',
    'code',
    'conformance',
    'database-away',
    'doctor',
    'examples',
    'first-config',
  ],
  ...['holder', 'init', 'journey', 'learning', 'page', 'pass-through', 'plan', 'procedures', 'real-servers'],
  ...['rows', 'steer', 'terminal', 'users-approvals', 'users-auth', 'users-path'],
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
      // They go two at a time.
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
