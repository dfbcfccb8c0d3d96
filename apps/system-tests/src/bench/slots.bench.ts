import type { PoolClient } from 'pg';

import { type BenchStack, FIRST_LINK_ID, forgetVisits } from './bench-stack.js';
import { ratioSpread, spreadOf } from './numbers.js';
import type { Section } from './report.js';

const WRITERS = 16;
const SECONDS = 3;
const INCREMENT = `INSERT INTO link_visit_slots AS slot (link_id, potential_bot, slot_id, visits)
  VALUES ($1, false, $2, 1)
  ON CONFLICT (link_id, potential_bot, slot_id) DO UPDATE SET visits = slot.visits + excluded.visits`;
/** Stands for the other statements of a transaction that counts: the row stays locked meanwhile. */
const OTHER_WORK = 'SELECT count(*) FROM link_traffic WHERE link_id = $1';
const OTHER_STATEMENTS = 3;

/** (c) 16 writers counting visits of one link: on one row, and on slots of their own. */
export async function benchSlots(bench: BenchStack): Promise<Section> {
  await bench.stack.hold('consumer');
  const cases = [
    { name: 'one row', slots: 1, long: false, samples: [] as number[] },
    { name: '8 slots', slots: 8, long: false, samples: [] as number[] },
    { name: '16 slots', slots: 16, long: false, samples: [] as number[] },
    { name: 'one row, in a longer transaction', slots: 1, long: true, samples: [] as number[] },
    { name: '8 slots, in a longer transaction', slots: 8, long: true, samples: [] as number[] },
    { name: '16 slots, in a longer transaction', slots: 16, long: true, samples: [] as number[] },
  ];
  try {
    for (let run = 1; run <= bench.runs; run += 1) {
      for (const one of cases) one.samples.push(await measure(bench, one.slots, one.long));
      bench.say(`  run ${run}: ${cases.map((one) => Math.round(one.samples.at(-1) ?? 0)).join(', ')} increments/s`);
    }
  } finally {
    await forgetVisits(bench.pool);
    await bench.stack.resume('consumer');
  }
  const figures = cases.map(({ name, samples }) => ({ name, unit: 'increments/s', value: spreadOf(samples) }));
  const [row, , slots, longRow, , longSlots] = cases.map((one) => one.samples);
  figures.push(
    { name: '16 slots / one row', unit: 'x', value: ratioSpread(slots ?? [], row ?? []) },
    { name: '16 slots / one row, longer transaction', unit: 'x', value: ratioSpread(longSlots ?? [], longRow ?? []) },
  );
  return {
    title: `Slotted counter: ${WRITERS} writers, one link, ${SECONDS} s a run`,
    notes: [`A longer transaction: the increment, then ${OTHER_STATEMENTS} other statements, then the commit.`],
    figures,
  };
}

async function measure({ pool }: BenchStack, slots: number, long: boolean): Promise<number> {
  await pool.query('TRUNCATE link_visit_slots');
  const clients = await Promise.all(Array.from({ length: WRITERS }, () => pool.connect()));
  try {
    const until = performance.now() + SECONDS * 1_000;
    const counts = await Promise.all(clients.map((client, writer) => write(client, writer % slots, long, until)));
    const expected = counts.reduce((sum, count) => sum + count, 0);
    const { rows } = await sumOfSlots(clients[0] as PoolClient);
    if (Number(rows[0]?.visits) !== expected)
      throw new Error(`${expected} increments made, ${rows[0]?.visits} counted`);
    return expected / SECONDS;
  } finally {
    for (const client of clients) client.release();
  }
}

async function write(client: PoolClient, slot: number, long: boolean, untilMs: number): Promise<number> {
  const increment = { name: 'increment', text: INCREMENT, values: [FIRST_LINK_ID.toString(), slot] };
  const other = { name: 'other', text: OTHER_WORK, values: [FIRST_LINK_ID.toString()] };
  let count = 0;
  while (performance.now() < untilMs) {
    if (long) await client.query('BEGIN');
    await client.query(increment);
    if (long) {
      for (let statement = 0; statement < OTHER_STATEMENTS; statement += 1) await client.query(other);
      await client.query('COMMIT');
    }
    count += 1;
  }
  return count;
}

function sumOfSlots(client: PoolClient) {
  return client.query<{ visits: string }>('SELECT sum(visits) AS visits FROM link_visit_slots');
}
