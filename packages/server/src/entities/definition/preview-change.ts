import { planConfig } from '../../config/port.ts';
import { countStoredRecords } from '../../records/port.ts';
import { type CompiledEntity, definitionSteps } from '../../schema/port.ts';
import type { EntityAdminDeps } from '../plan-migration.ts';
import { findEqualRecords, type RecordExample } from '../stored-records/look-at-records.ts';
import {
  isRevived,
  lookAtChange,
  type RecordsOfChange,
  type RevivedName,
  wouldFail,
  wouldLose,
} from '../stored-records/records-of-change.ts';
import { type DefinitionChange, planChange } from './plan-change.ts';

type ChangeStep = ReturnType<typeof definitionSteps>[number];

/** A step of a change, and the records that it concerns. */
interface PreviewedStep extends ChangeStep {
  /**
   * The number of records that fail by it, lose a value, are indexed, are gone through to fill a field, or equal
   * others; `atLeast` where not all could be looked at.
   */
  readonly records: number | { readonly atLeast: number };
  /** Some of those that fail, with why, lose a value or equal others. */
  readonly examples: readonly RecordExample[];
}

export interface ChangePreview {
  readonly version: number;
  readonly plan: readonly PreviewedStep[];
  /** Whether the change is refused without `force`, since records fail, or too many would have to be looked at. */
  readonly would_fail: boolean;
  /** The same where records lose values. */
  readonly would_lose: boolean;
  /** Names of removed fields that fields would have: where policies name them, the change needs `force`. */
  readonly would_revive?: readonly RevivedName[];
  readonly warnings?: readonly string[];
}

/** Plans the change of a definition and looks at the records as the change itself does; writes nothing. */
export async function previewDefinition(
  deps: EntityAdminDeps,
  orgCode: string,
  change: DefinitionChange,
): Promise<ChangePreview> {
  const planned = await planConfig(deps, orgCode, (set, next) => planChange(deps, { orgCode, set, next }, change));
  const { before, after, states, removed, lost, warnings } = planned;
  const steps = definitionSteps({ before: before.definition, after: after.definition, states, removed, lost });
  const found = await lookAtChange(deps.store, { orgCode, ...planned });
  const isWalked = steps.some(({ change: step }) => step === 'index_built' || step === 'field_filled');
  const [stored = 0] = isWalked ? await countStoredRecords(deps.store, orgCode, [change.entityName]) : [];
  const plan = steps.map((step) => ({ ...step, ...recordsOf(step, found, stored) }));
  return {
    version: states.before.version,
    plan: [...plan, ...(await contradictions(deps, { orgCode, entity: after }, steps))],
    would_fail: wouldFail(found),
    would_lose: wouldLose(found),
    ...(found.revived !== undefined && isRevived(found.revived) ? { would_revive: found.revived.names } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

/** A unique index is built behind the change, and fails by itself. */
async function contradictions(
  { store }: EntityAdminDeps,
  place: { readonly orgCode: string; readonly entity: CompiledEntity },
  steps: readonly ChangeStep[],
): Promise<readonly PreviewedStep[]> {
  const names = steps.flatMap(({ change, index }) =>
    change === 'index_built' && index?.kind === 'unique' ? [index.name] : [],
  );
  const { found, complete } = await findEqualRecords(store, place, names);
  return names
    .filter((name) => found.of(name).records > 0)
    .map((name) => ({ ...contradictedStep(name), ...asLooked(found.of(name), { complete }) }));
}

type Concerned = Pick<PreviewedStep, 'records' | 'examples'>;

function recordsOf(
  { change, field = '', check = '' }: ChangeStep,
  { failing, held }: RecordsOfChange,
  stored: number,
): Concerned {
  switch (change) {
    case 'field_added':
    case 'field_changed':
    case 'field_converted':
      return failing === undefined ? none : asLooked(failing.byField.of(field), failing.found);
    case 'check_added':
      return failing === undefined ? none : asLooked(failing.byCheck.of(check), failing.found);
    case 'field_removed':
    case 'values_lost':
      return held === undefined ? none : asLooked(held.holders.of(field), held);
    case 'index_built':
    case 'field_filled':
      return { records: stored, examples: [] };
    default:
      return none;
  }
}

const none: Concerned = { records: 0, examples: [] };

/** A step that concerns no record. */
export function withoutRecords(step: ChangeStep): PreviewedStep {
  return { ...step, ...none };
}

function asLooked(
  { records, examples }: { readonly records: number; readonly examples: readonly RecordExample[] },
  { complete }: { readonly complete: boolean },
): Concerned {
  return { records: complete ? records : { atLeast: records }, examples };
}

/** The outcome of a unique index that records have equal values for. */
function contradictedStep(name: string): ChangeStep {
  const message = `the unique index \`${name}\` fails unless records that have the values of others get other ones`;
  return { change: 'unique_contradicted', index: { kind: 'unique', name }, message };
}
