import { entityPartition, entityRow } from '../../config/port.ts';
import type { Config } from '../../config.ts';
import { type Finding, good, note, reasonOf } from '../../doctor/finding.ts';
import { routeNameProblem } from '../../schema/port.ts';
import { rowsBeside } from './rows-beside.ts';

const listedMax = 20;

/** Entities of earlier releases whose names no new entity can have: policies about their records reach routes as well. */
export async function checkEntityNames({ store, storeProd }: Config): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const space of ['test', 'prod'] as const) {
    const found: Finding[] = [];
    try {
      const address = space === 'prod' ? storeProd : store;
      for await (const { scope, sk, value } of rowsBeside(space, address, [entityPartition])) {
        if (entityRow.parse(value).state === 'removing' || routeNameProblem(sk) === undefined) continue;
        found.push(
          note(
            `the entity \`${sk}\` of the app \`${scope.replace('org#', '')}\` in ${space} has a name that policies take for routes of the workspace as well: review them by the lint of policies, or move its records to an entity with another name`,
          ),
        );
      }
    } catch (error) {
      found.push(note(`the names of entities in ${space} cannot be looked at (${reasonOf(error)})`));
    }
    findings.push(...found.slice(0, listedMax));
    if (found.length > listedMax) findings.push(note(`and ${found.length - listedMax} more such entities in ${space}`));
  }
  return findings.length > 0 ? findings : [good('no entity has a name that policies take for routes')];
}
