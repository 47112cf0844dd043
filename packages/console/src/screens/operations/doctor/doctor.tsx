import { Alert, Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { RefreshIcon } from '../../../components/icons.tsx';
import { LineSkeletons, Loaded } from '../../../components/loaded.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { Screen } from '../../../components/screen.tsx';
import { Sentence } from '../../../components/sentence.tsx';
import { When } from '../../../components/when.tsx';
import { operate } from '../operate.ts';
import classes from './doctor.module.css';
import { type Diagnosis, verdictOf } from './verdict.ts';

type Kind = Diagnosis['items'][number]['kind'];

const diagnosisQuery = queryOptions({
  queryKey: ['doctor'],
  queryFn: ({ signal }) => operate('readDiagnosis', { signal }),
  // A look asks servers and reads files.
  refetchOnWindowFocus: false,
});

/** What would keep the platform from working, and what to do about it. */
export function Doctor() {
  const diagnosis = useQuery(diagnosisQuery);
  return (
    <Screen
      title="Doctor"
      intro="What the command freehold doctor finds, beside the running platform: settings, clock, disk, stores, keys and the mail server. It changes nothing."
      actions={
        <Button
          variant="default"
          leftSection={<RefreshIcon />}
          loading={diagnosis.isFetching}
          onClick={() => void diagnosis.refetch()}
        >
          Look again
        </Button>
      }
    >
      {diagnosis.data !== undefined && <ProblemAlert error={diagnosis.error} />}
      <Loaded query={diagnosis} skeleton={<Looking />}>
        {(data) => <Findings diagnosis={data} />}
      </Loaded>
    </Screen>
  );
}

function Looking() {
  return (
    <Stack>
      <Text size="sm">The doctor looks. It takes 30 seconds at most.</Text>
      <LineSkeletons lines={6} />
    </Stack>
  );
}

const sections: readonly {
  readonly kind: Kind;
  readonly title: string;
  readonly badge: string;
  readonly color: string;
}[] = [
  { kind: 'fault', title: 'Faults', badge: 'fault', color: 'red' },
  { kind: 'note', title: 'Notes', badge: 'note', color: 'orange' },
  { kind: 'good', title: 'What is good', badge: 'good', color: 'teal' },
];

function Findings({ diagnosis }: { readonly diagnosis: Diagnosis }) {
  const { title, sentence, color } = verdictOf(diagnosis);
  return (
    <Stack gap="xl">
      <Stack gap="xs">
        <Alert color={color} title={title} role="status">
          {sentence}
        </Alert>
        <Text size="sm" c="dimmed">
          The look began <When at={diagnosis.at} />. A result is kept for 30 seconds.
        </Text>
      </Stack>
      {sections.map(({ kind, title: heading, badge, color: badgeColor }) => {
        const found = diagnosis.items.filter((item) => item.kind === kind);
        if (found.length === 0) return null;
        return (
          <Stack key={kind} gap="xs" component="section" aria-label={heading}>
            <Title order={2}>{heading}</Title>
            <ul className={classes.list}>
              {found.map(({ says }) => (
                <li key={says}>
                  <Group gap="sm" wrap="nowrap" align="flex-start">
                    <Badge variant="dot" color={badgeColor} tt="none" className={classes.badge ?? ''}>
                      {badge}
                    </Badge>
                    <Text size="sm" component="div" className={classes.says ?? ''}>
                      <Sentence text={says} />
                    </Text>
                  </Group>
                </li>
              ))}
            </ul>
          </Stack>
        );
      })}
    </Stack>
  );
}
