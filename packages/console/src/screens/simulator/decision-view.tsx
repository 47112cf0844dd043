import type { accessApi } from '@freehold/contract/management/access';
import type { ReplyOf } from '@freehold/contract/route';
import { Anchor, Code, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { Sentence } from '../../components/sentence.tsx';
import type { CellState } from '../who-can/cells.ts';
import { StateMark } from '../who-can/state-mark.tsx';
import classes from './simulator.module.css';

type Simulated = ReplyOf<typeof accessApi.simulateAccess>;
type Statement = Simulated['matched'][number];

interface Props {
  readonly decision: Pick<
    Simulated,
    'decision' | 'reason' | 'matched' | 'considered' | 'needs' | 'fields' | 'record_state'
  >;
  /** Where the policies lie; undefined for a draft, and where no policy can be opened. */
  readonly workspace: string | undefined;
}

const decisions: Readonly<Record<Simulated['decision'], readonly [name: string, mark: CellState]>> = {
  allowed: ['Allowed', 'allowed'],
  explicit_deny: ['Denied', 'denied'],
  implicit_deny: ['Not granted', 'none'],
  undecided: ['It depends', 'conditional'],
};

const needed: Readonly<Record<NonNullable<Simulated['needs']>[number], string>> = {
  body: 'the body of the request',
  record: 'the record',
  id: 'the id of the record',
  after: 'the record as the update leaves it',
};

/** What was decided, and every statement that had a part in it. */
export function DecisionView({ decision: { decision, reason, matched, considered, ...more }, workspace }: Props) {
  const [name, mark] = decisions[decision];
  const others = considered - matched.length;
  return (
    <Stack gap="sm">
      <div>
        <Group gap={6}>
          <StateMark state={mark} />
          <Text fw={600}>{name}</Text>
        </Group>
        <Text>
          <Sentence text={reason} />
        </Text>
      </div>
      {more.needs !== undefined && (
        <Text size="sm">It depends on {more.needs.map((need) => needed[need]).join(' and ')}, which is not given.</Text>
      )}
      {more.fields !== undefined && (
        <Text size="sm">
          Limited to the fields <Names names={more.fields} />
        </Text>
      )}
      {more.record_state !== undefined && (
        <Text size="sm" c="dimmed">
          <Code>record.…</Code> is the record {more.record_state} the update.
        </Text>
      )}
      {matched.length > 0 && (
        <Stack gap="md" component="ul" p={0} m={0} style={{ listStyle: 'none' }} aria-label="Statements">
          {deciding(decision, matched).map((statement) => (
            <li key={`${statement.policy_id} ${statement.index} ${statement.group_id}`}>
              <StatementView statement={statement} workspace={workspace} />
            </li>
          ))}
        </Stack>
      )}
      <Text size="sm" c="dimmed">
        {others <= 0 ? 'All statements that apply to the user are shown.' : aboutOthers(others)}
      </Text>
    </Stack>
  );
}

/** Of a denial the statements that deny come first. */
function deciding(decision: Simulated['decision'], matched: readonly Statement[]): readonly Statement[] {
  if (decision !== 'explicit_deny') return matched;
  const denies = matched.filter((statement) => statement.matched && statement.Effect === 'Deny');
  return [...denies, ...matched.filter((statement) => !denies.includes(statement))];
}

function aboutOthers(count: number): string {
  return count === 1
    ? '1 more statement was tried. It is about another action or resource.'
    : `${count} more statements were tried. They are about other actions or resources.`;
}

interface StatementProps {
  readonly statement: Statement;
  readonly workspace: string | undefined;
}

function StatementView({ statement, workspace }: StatementProps) {
  const { Effect, Action, Resource, Fields, matched, conditions = [], failed_condition: failed, broken } = statement;
  return (
    <div className={classes.statement} {...(matched ? { 'data-applies': Effect } : {})}>
      <Text size="sm">
        <strong>{Effect}</strong> by <Origin statement={statement} workspace={workspace} />
      </Text>
      <Text size="sm">
        <Code>{Action}</Code> on <Code>{Resource}</Code>
        {Fields !== undefined && (
          <>
            , fields <Names names={Fields} />
          </>
        )}
      </Text>
      <Text size="sm" fw={matched ? 500 : 400}>
        {standingOf(statement)}
      </Text>
      {failed !== undefined && (
        <ul className={classes.terms} aria-label="Condition that does not hold">
          <li>
            <Term term={failed} />, but {failed.state === undefined ? 'it' : `${failed.state} the update it`}{' '}
            {failed.actual.length === 0 ? 'has no value' : 'is '}
            <Names names={failed.actual} />
          </li>
        </ul>
      )}
      {conditions.length > 0 && (failed === undefined || conditions.length > 1) && (
        <>
          <Text size="sm" c="dimmed">
            {failed === undefined ? 'Condition' : 'Whole condition'}
          </Text>
          <ul className={classes.terms} aria-label="Condition">
            {conditions.map((term) => (
              <li key={`${term.operator} ${term.key}`}>
                <Term term={term} />
              </li>
            ))}
          </ul>
        </>
      )}
      {broken?.map(({ pointer, message }) => (
        <Text key={pointer} size="sm" c="red">
          {pointer}: {message}
        </Text>
      ))}
    </div>
  );
}

function standingOf({ Effect, matched, open, failed_condition: failed, over_budget, broken }: Statement): string {
  if (broken !== undefined) return 'The stored statement is broken, so it counts as a Deny.';
  if (over_budget === true) return 'It was not evaluated completely: a Deny then counts, an Allow does not.';
  if (matched) return Effect === 'Allow' ? 'It applies and allows.' : 'It applies and denies.';
  if (open === true) return 'Whether it applies depends on values that are not given.';
  return failed === undefined ? 'It does not apply.' : 'It does not apply: one condition does not hold.';
}

/** The policy that the statement stands in, and how it is held. */
function Origin({ statement: { source, policy, policy_id, index, Sid, group }, workspace }: StatementProps) {
  const { org, env } = usePlace();
  const place = Sid === undefined || Sid === '' ? `statement ${index + 1}` : `statement ${Sid}`;
  if (source === 'draft') return <>{place} of the draft</>;
  return (
    <>
      {place} of policy{' '}
      {workspace === undefined || policy_id === undefined ? (
        <strong>{policy}</strong>
      ) : (
        <Anchor
          component={Link}
          to={`/o/${org}/${env}/policies/${policy_id}`}
          search={{ w: workspace } as never}
          size="sm"
          underline="always"
        >
          {policy}
        </Anchor>
      )}
      {group === undefined ? '' : `, held by group ${group}`}
    </>
  );
}

interface TermProps {
  readonly term: { readonly operator: string; readonly key: string; readonly expected: readonly string[] };
}

function Term({ term: { operator, key, expected } }: TermProps) {
  return (
    <>
      <Code>{key}</Code> {operator} <Names names={expected} />
    </>
  );
}

function Names({ names }: { readonly names: readonly string[] }) {
  return (
    <>
      {[...new Set(names)].map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <Code>{name === '' ? ' ' : name}</Code>
        </span>
      ))}
    </>
  );
}
