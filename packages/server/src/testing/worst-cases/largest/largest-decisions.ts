/** As many recorded decisions of one member as an org keeps, each as large as it may be. */
import {
  dayMilliseconds,
  dayOf,
  expiryOf,
  type RecordedCall,
  type RecordedDecision,
  recordedDaysMax,
  recordedDecisions,
} from '../../../iam/recording/recorded-rows.ts';
import { orgScopeName } from '../../../tenancy/workspace.ts';
import type { Gateways } from '../send.ts';
import type { Stage } from '../stage.ts';

const rowsPerDay = 700;
const rowsPerCommit = 100;
const reportsOfRow = 20;

const planted = new WeakSet<Gateways>();

/** Once for each platform, and nothing where it is in another process: there is what was made by calls. */
export async function plantDecisions({ gateways, org, restricted }: Stage): Promise<void> {
  const scope = gateways.testStore?.scope(orgScopeName(org));
  if (scope === undefined || planted.has(gateways)) return;
  planted.add(gateways);
  const tenantId = tenantOf(restricted.token);
  for (let past = 0; past <= recordedDaysMax; past++) {
    const day = dayOf(Date.now() - past * dayMilliseconds);
    for (let row = 0; row < rowsPerDay; row += rowsPerCommit)
      await scope.commit(
        Array.from({ length: rowsPerCommit }, (_, index) => {
          const name = `planted#${row + index}`;
          const value = decision(restricted.id, row + index, `${day}T00:00:00.000Z`);
          return recordedDecisions.put({ tenantId, day, name }, value, { if: 'any', due: expiryOf(day) });
        }),
      );
  }
}

function decision(user_id: string, row: number, at: string): RecordedDecision {
  const action = `getx${row}note`;
  return {
    ...{ user_id, action, shape: `/item/x${row}note/{id}`, outcome: 'allowed', calls: 1000, last_at: at },
    samples: [call(row, at), call(row, at)],
    reports: Array.from({ length: reportsOfRow }, (_, index) => ({
      ...{ policy_id: `01890a5d-ac96-774b-bcce-${String(row).padStart(12, '0')}`, policy: 'p'.repeat(128), index },
      ...{ Sid: 's'.repeat(64), Effect: 'Deny', would: 'deny', calls: 1000 / 3, last_at: at },
    })),
  };
}

/** Its path and its values are what the statements of the largest policies take longest to compare. */
function call(row: number, at: string): RecordedCall {
  const id = 'note'.repeat(120);
  const look = {
    'record.title': `y${row}`,
    ...Object.fromEntries(Array.from({ length: 3 }, (_, index) => [`record.f${index}`, 'v'.repeat(240)])),
  };
  return {
    ...{ at, method: 'GET', resource: `/item/x${row}note/${id}`, params: { entity: `x${row}note`, id }, ip: '::1' },
    looks: [look, look, look, look],
  };
}

/** The workspace of a token. */
function tenantOf(token: string): string {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return typeof claims === 'object' && claims !== null && 'tenant_id' in claims ? String(claims.tenant_id) : '';
}
