import type { ConfigSet } from '../../config/port.ts';
import { entityPartition, entityRows, references as storedReferences, versionKey } from '../../config/port.ts';
import { actions, apiName, type ReferenceMap, withReferences } from '../../schema/port.ts';
import type { Key, Scope } from '../../store/port.ts';
import type { Findings } from './findings.ts';
import { drift } from './look.ts';

/**
 * That an org's configuration is whole: every live config has a body, and who looks up whom follows from them. Without a
 * body it is not known what should lie beside records: then false is returned.
 */
export async function checkOrg(scope: Scope, config: ConfigSet, findings: Findings): Promise<boolean> {
  findings.count('orgs');
  const report = (key: Key, problem: string): void => findings.add(drift(scope, 'config', key, problem));
  const missing: Key[] = [];
  for (const name of config.entityNames) missing.push(...(await missingBodies(scope, config, name)));
  for (const key of missing) report(key, 'is live, but missing');
  if (missing.length === 0 && sayOf(await derivedReferences(config)) !== sayOf(config.references))
    report(storedReferences.key(), 'does not follow from the definitions');
  const rows = await entityRows.range(scope, entityPartition, { limit: rowsMax });
  for (const row of rows) {
    if ((row.value.state === 'active') !== (config.active(row.sk) !== undefined))
      report(row, 'contradicts the live configs');
  }
  const rowless = config.entityNames.filter((name) => !rows.some(({ sk }) => sk === name));
  for (const name of rowless) report(entityRows.key(name), 'is missing');
  return missing.length === 0;
}

async function derivedReferences(config: ConfigSet): Promise<ReferenceMap> {
  let references: ReferenceMap = new Map();
  for (const name of config.entityNames)
    references = withReferences(references, { name, compiled: await config.entity(name) }, 0);
  return references;
}

async function missingBodies(scope: Scope, config: ConfigSet, name: string): Promise<readonly Key[]> {
  const versions = config.active(name)?.versions;
  const keys = actions.map((action) => versionKey(apiName(action, name), versions?.[action] ?? 0));
  const bodies = await scope.get(keys);
  return keys.filter((_, index) => bodies[index] === undefined);
}

const rowsMax = 10_000;

/** What a map says of who refers to whom, whenever it came to say so. */
function sayOf(map: ReferenceMap): string {
  const lines = [...map].flatMap(([target, { by }]) => by.map((reference) => JSON.stringify([target, reference])));
  return lines.sort().join('\n');
}
