import { HostWindows } from '@hopcount/hosts';
import { describe, expect, it } from '@jest/globals';

import { slotImbalance } from './slot-imbalance.js';
import { WatchedHosts } from './watched-hosts.js';

/** Of destinations, with so many visits each. */
function imbalanceOf(visits: Record<string, number>): number | undefined {
  const hosts = new WatchedHosts();
  const windows = new HostWindows(0, hosts.parentOf);
  for (const [name, count] of Object.entries(visits)) windows.add(hosts.numberOf(0, name) as number, 0, count);
  windows.move();
  return slotImbalance(hosts, windows).get('target');
}

describe('the imbalance of slots of sites', () => {
  it('is even for one site, since nothing could be spread', () => {
    expect(imbalanceOf({ 'com.example': 5_000 })).toBe(1);
  });

  it('is measured against as many slots as there are sites', () => {
    expect(imbalanceOf({ 'com.example': 10, 'org.example': 10, 'net.example': 10 })).toBe(1);
    expect(imbalanceOf({ 'com.example': 80, 'org.example': 10, 'net.example': 10 })).toBeCloseTo(2.4);
  });

  it('is 0 without visits', () => {
    expect(imbalanceOf({})).toBe(0);
  });
});
