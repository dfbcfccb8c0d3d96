import { describe, expect, it } from '@jest/globals';

import { detect, detectNaively, judge, Simulation } from './simulation.spec-helpers.js';

// A longer run: HOSTS_SIMULATION_DAYS=14 HOSTS_SIMULATION_SEEDS=1,2,3,4,5,6 (a second of CPU per seed and day).
const DAYS = Number(process.env['HOSTS_SIMULATION_DAYS'] ?? 1);
const SEEDS = (process.env['HOSTS_SIMULATION_SEEDS'] ?? '1,20,300').split(',').map(Number);

describe('three hundred hosts with days, weeks, mailings and surges', () => {
  it.each(SEEDS)('hardly ever raise a false alert, and surges are found (seed %d)', (seed) => {
    const simulation = new Simulation(seed, DAYS);
    const opened = detect(simulation).filter(({ what }) => what === 'opened');
    const { falseADay, found, medianDelayMs } = judge(simulation, opened);
    expect(falseADay).toBeLessThanOrEqual(0.5);
    expect(found).toBeGreaterThanOrEqual(0.85);
    expect(medianDelayMs).toBeLessThanOrEqual(240_000);
    // Its own bound: the simulation is hard enough that a rule without base and minimum fails it.
    expect(judge(simulation, detectNaively(simulation)).falseADay).toBeGreaterThan(1_000);
  });

  it('surge at the same times when they are counted a quarter of an hour late', () => {
    const halted = detect(new Simulation(7, 0.25, 100, 40), 90);
    expect(halted).toEqual(detect(new Simulation(7, 0.25, 100, 40)));
    expect(halted.some(({ what }) => what === 'opened')).toBe(true);
  });
});
