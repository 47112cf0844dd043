import type { accessApi } from '@freehold/contract/management/access';
import type { ReplyOf } from '@freehold/contract/route';
import { Anchor, Code, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import classes from './decision.module.css';
import { Names } from './names.tsx';

type Simulated = ReplyOf<typeof accessApi.simulateAccess>;
type Statement = Simulated['matched'][number];

interface Props extends Pick<Simulated, 'decision' | 'matched'> {
  readonly label?: string;
  /** Where the policies lie; undefined for a draft, and where no policy can be opened. */
  readonly workspace: string | undefined;
}

/** Every statement that had a part in a decision. Each leads to its place in its policy. */
export function StatementList({ label = 'Statements', decision, matched, workspace }: Props) {
  if (matched.length === 0) return null;
  return (
    <Stack gap="md" component="ul" p={0} m={0} style={{ listStyle: 'none' }} aria-label={label}>
      {deciding(decision, matched).map((statement) => (
        // A statement may match by several of its patterns.
        <li
          key={`${statement.policy_id} ${statement.index} ${statement.group_id} ${statement.Action} ${statement.Resource}`}
        >
          <StatementView statement={statement} workspace={workspace} />
        </li>
      ))}
    </Stack>
  );
}

/** Of a denial the statements that deny come first. */
function deciding(decision: Simulated['decision'], matched: readonly Statement[]): readonly Statement[] {
  if (decision !== 'explicit_deny') return matched;
  const denies = matched.filter((statement) => statement.matched && statement.Effect === 'Deny');
  return [...denies, ...matched.filter((statement) => !denies.includes(statement))];
}

interface StatementProps {
  readonly statement: Statement;
  readonly workspace: string | undefined;
}

function StatementView({ statement, workspace }: StatementProps) {
  const {
    Effect,
    Mode,
    Action,
    Resource,
    Fields,
    matched,
    conditions = [],
    failed_condition: failed,
    broken,
  } = statement;
  return (
    <div className={classes.statement} {...(matched && Mode === undefined ? { 'data-applies': Effect } : {})}>
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
        {currentOf(statement)}
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

function currentOf({
  Effect,
  Mode,
  would,
  matched,
  open,
  failed_condition: failed,
  over_budget,
  broken,
}: Statement): string {
  if (Mode === 'report') return `It applies and is only reported: it would ${would ?? 'not change'} the call.`;
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
  const named = `${place} of policy ${policy}`;
  return (
    <>
      {workspace === undefined || policy_id === undefined ? (
        <strong>{named}</strong>
      ) : (
        <Anchor
          component={Link}
          to={`/o/${org}/${env}/policies/${policy_id}`}
          search={{ w: workspace, statement: index + 1 } as never}
          size="sm"
          underline="always"
        >
          {named}
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
