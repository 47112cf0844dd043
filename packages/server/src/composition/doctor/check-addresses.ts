import type { Config } from '../../config.ts';
import { type Finding, good, note, reasonOf } from '../../doctor/finding.ts';
import { systemClock } from '../../lib/clock.ts';
import { AddressCollisions, addressPartitions } from '../../people/colliding-addresses.ts';
import { rowsBeside } from './rows-beside.ts';

const listedMax = 20;
/** Beside a running platform the doctor has 25 s for everything. */
const millisecondsMax = 8000;

/** Accounts that have one address in several spellings, which earlier releases took for several addresses. */
export async function checkAddresses({ store, storeProd }: Config): Promise<readonly Finding[]> {
  const until = systemClock.now() + millisecondsMax;
  const findings: Finding[] = [];
  for (const space of ['platform', 'test', 'prod'] as const) {
    const collisions = new AddressCollisions();
    try {
      for await (const row of rowsBeside(space, space === 'prod' ? storeProd : store, addressPartitions)) {
        collisions.add(row);
        if (systemClock.now() < until) continue;
        findings.push(
          note(`there was no time to look at all addresses of ${space}: run \`freehold doctor\` by itself`),
        );
        break;
      }
    } catch (error) {
      findings.push(note(`the addresses of accounts in ${space} cannot be looked at (${reasonOf(error)})`));
    }
    const found = collisions.list();
    for (const { scope, ids } of found.slice(0, listedMax)) {
      const whose = space === 'platform' ? 'of builders' : `of the app \`${scope.replace('org#', '')}\` in ${space}`;
      findings.push(
        note(
          `${ids.length} accounts ${whose} have one email address in several spellings: each signs in by its own, and none is merged (${ids.join(', ')})`,
        ),
      );
    }
    if (found.length > listedMax) findings.push(note(`and ${found.length - listedMax} more addresses in ${space}`));
  }
  return findings.length > 0 ? findings : [good('no accounts share an email address in several spellings')];
}
