import type { Decision, Simulated } from '@freehold/contract/management/access';
import type { Read } from '@freehold/contract/schema';
import { Badge, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { type Explained, isExplained, reasonsHidden } from '../../components/decision/explained.ts';
import { StatementList } from '../../components/decision/statement-list.tsx';
import { LineSkeletons } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { counted } from '../../components/words/counted.ts';
import type { Answered } from './answered.ts';

type ShownDecision = Read<typeof Decision> | Read<typeof Simulated>;

/**
 * What the policies decided. A denial is read as it was made; for a call that was allowed they are asked again, about
 * the same call.
 */
export function DecisionBehind({ answered }: { readonly answered: Answered }) {
  const { id, ran, status, decisionId } = answered;
  const isOwn = ran.actor.user === undefined;
  const decision = useQuery({
    queryKey: ['decision of a run', id],
    queryFn: () => (decisionId === undefined ? decisionNow(answered) : readDecision(decisionId)),
    enabled: !isOwn && (decisionId !== undefined || status < 400 || status === 404),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (isOwn)
    return (
      <Text size="sm">
        In test a builder may do everything in his own name. Choose a user to see what policies decide.
      </Text>
    );
  if (decision.isError) return isUndecidable(decision.error) ? <NoDecision /> : <ProblemAlert error={decision.error} />;
  if (decision.data === undefined)
    return decision.fetchStatus === 'idle' ? <NoDecision /> : <LineSkeletons lines={2} />;
  if (!isExplained(decision.data)) return <Text size="sm">{reasonsHidden}</Text>;
  return (
    <Statements
      decision={decision.data}
      workspace={ran.actor.workspace}
      isRepeated={decisionId === undefined && status < 400}
    />
  );
}

async function readDecision(decision_id: string): Promise<ShownDecision> {
  return await call('readDecision', { params: { decision_id } });
}

/** Of a reply like that of a missing record, the denial that it may hide; else what is decided of the same call. */
async function decisionNow({ ran, status, requestId }: Answered): Promise<ShownDecision> {
  const { actor, method, target, recordId, text } = ran;
  if (status === 404)
    return (await call('findDecision', { query: { request_id: requestId } })) as Read<typeof Decision>;
  return await call('simulateAccess', {
    body: {
      env: actor.env,
      tenant_code: actor.workspace,
      user_id: actor.user,
      method,
      path: target,
      ...(recordId === undefined ? {} : { record: { id: recordId } }),
      ...(text === undefined ? {} : { context: { request: { body: JSON.parse(text) } } }),
    },
  });
}

/** The route asks no policy, or there is nothing left to decide about, as after a removal. */
function isUndecidable(error: unknown): boolean {
  return error instanceof ApiProblem && (error.status === 400 || error.status === 404);
}

function NoDecision() {
  return <Text size="sm">No decision by policies is behind this answer.</Text>;
}

const colors: Readonly<Record<Explained<ShownDecision>['decision'], string>> = {
  allowed: 'teal',
  explicit_deny: 'red',
  implicit_deny: 'red',
  undecided: 'gray',
};

interface StatementsProps {
  readonly decision: Explained<ShownDecision>;
  readonly workspace: string;
  readonly isRepeated: boolean;
}

function Statements({ decision, workspace, isRepeated }: StatementsProps) {
  const { reason, matched, considered, action, resource } = decision;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Badge color={colors[decision.decision]} variant="outline" radius="sm">
          {decision.decision.replace('_', ' ')}
        </Badge>
        <Code>{action}</Code>
        <Code>{resource}</Code>
      </Group>
      <Text size="sm">
        <Sentence text={reason} />
      </Text>
      {isDecidedByRecord(decision) && (
        <Text size="sm">It is decided record by record: the answer holds what the policies allow of each.</Text>
      )}
      <StatementList decision={decision.decision} matched={matched} workspace={workspace} />
      <Text size="xs" c="dimmed">
        {counted(considered, 'statement was', 'statements were')} considered
        {isRepeated ? ', when the same call was asked about again after it' : ''}.
      </Text>
    </Stack>
  );
}

function isDecidedByRecord(decision: ShownDecision): boolean {
  return 'needs' in decision && decision.needs?.includes('record') === true;
}
