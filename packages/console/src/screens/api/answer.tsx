import { Badge, Code, Group, Stack, Text, Title } from '@mantine/core';
import { CopyId } from '../../components/copy-id.tsx';
import { type Answered, shownBytesMax } from './answered.ts';
import classes from './api.module.css';
import { DecisionBehind } from './decision-behind.tsx';

const times = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** The reply to a call, and the decision behind it. */
export function Answer({ answered }: { readonly answered: Answered }) {
  const { status, milliseconds, requestId, headers, text, isCut } = answered;
  return (
    <Stack gap="sm" component="section" aria-label="Answer">
      <Group gap="xs" role="status">
        <Badge color={status < 400 ? 'teal' : 'red'} variant="outline" radius="sm" size="lg">
          {status}
        </Badge>
        <Text size="sm">{times.format(milliseconds)} ms</Text>
        {requestId !== undefined && <CopyId value={requestId} what="request id" />}
      </Group>
      <details className={classes.details}>
        <summary>Headers</summary>
        <ul className={classes.members}>
          {headers.map(([name, value]) => (
            <li key={name}>
              <Code>{name}</Code> {value}
            </li>
          ))}
        </ul>
      </details>
      {text !== '' && (
        <div>
          {/* It scrolls, so the keyboard reaches it. */}
          <Code block className={classes.text ?? ''} tabIndex={0} role="region" aria-label="Body of the answer">
            {text}
          </Code>
          {isCut && (
            <Text size="xs" c="dimmed">
              The first {shownBytesMax / 1024} KB. The snippet brings all of it.
            </Text>
          )}
        </div>
      )}
      <Title order={4} size="h6">
        Decision
      </Title>
      <DecisionBehind answered={answered} />
    </Stack>
  );
}
