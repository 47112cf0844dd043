import { Alert, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { usePlace } from '../../api/session.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { isExplained, reasonsHidden } from '../../components/decision/explained.ts';
import { StatementList } from '../../components/decision/statement-list.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { Sentence } from '../../components/sentence.tsx';

/** Why a call was not answered. A denial by policies has the decision and, where it is asked for, what led to it. */
export function Refusal({ error }: { readonly error: unknown }) {
  const decision = error instanceof ApiProblem ? error.body?.decision_id : undefined;
  return (
    <>
      <ProblemAlert error={error} />
      {typeof decision === 'string' && <Denial key={decision} decision={decision} />}
    </>
  );
}

/** A decision by its id and, where it is asked for, what led to it. */
export function Denial({ decision }: { readonly decision: string }) {
  const { workspace } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const explained = useQuery({
    queryKey: ['decision', decision],
    queryFn: ({ signal }) => call('readDecision', { params: { decision_id: decision }, signal }),
    enabled: isOpen,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <>
      <Group gap={6}>
        <Text size="sm">Denied by decision</Text>
        <CopyId value={decision} what="decision id" />
        {!isOpen && (
          <Button size="xs" variant="default" onClick={() => setIsOpen(true)}>
            Explain
          </Button>
        )}
      </Group>
      <ProblemAlert error={explained.error} />
      {explained.data !== undefined && !isExplained(explained.data) && <Text size="sm">{reasonsHidden}</Text>}
      {explained.data !== undefined && isExplained(explained.data) && (
        <Alert color="gray" role="status" title={<Sentence text={explained.data.reason} />}>
          <Text size="sm" mb="xs">
            {explained.data.considered === 1 ? '1 statement was' : `${explained.data.considered} statements were`}{' '}
            considered for <code>{explained.data.action}</code>.
          </Text>
          <StatementList decision={explained.data.decision} matched={explained.data.matched} workspace={workspace} />
        </Alert>
      )}
    </>
  );
}
