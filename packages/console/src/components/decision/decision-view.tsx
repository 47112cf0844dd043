import type { accessApi } from '@freehold/contract/management/access';
import type { ReplyOf } from '@freehold/contract/route';
import { Code, Group, Stack, Text } from '@mantine/core';
import { Sentence } from '../sentence.tsx';
import type { CellState } from './cell-state.ts';
import { Names } from './names.tsx';
import { StateMark } from './state-mark.tsx';
import { StatementList } from './statement-list.tsx';

type Simulated = ReplyOf<typeof accessApi.simulateAccess>;

interface Props {
  readonly decision: Pick<
    Simulated,
    'decision' | 'reason' | 'matched' | 'reported' | 'considered' | 'needs' | 'fields' | 'record_state'
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

/** The decision, and every statement that had a part in it. */
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
      <StatementList decision={decision} matched={matched} workspace={workspace} />
      {more.reported !== undefined && more.reported.length > 0 && (
        <>
          <Text size="sm">Statements that are only reported, and had no part in it:</Text>
          <StatementList
            label="Reported statements"
            decision={decision}
            matched={more.reported}
            workspace={workspace}
          />
        </>
      )}
      <Text size="sm" c="dimmed">
        {others <= 0 ? 'All statements that apply to the user are shown.' : aboutOthers(others)}
      </Text>
    </Stack>
  );
}

function aboutOthers(count: number): string {
  return count === 1
    ? '1 more statement was tried. It is about another action or resource.'
    : `${count} more statements were tried. They are about other actions or resources.`;
}
