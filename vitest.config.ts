import { defineConfig } from 'vitest/config'

const common = { pool: 'forks', testTimeout: 60_000, hookTimeout: 120_000 } as const

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
      // Each journey is a house full of processes: one at a time, so that their times mean something.
      {
        test: {
          ...common,
          name: 'journeys',
          include: ['test/**/*.test.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
