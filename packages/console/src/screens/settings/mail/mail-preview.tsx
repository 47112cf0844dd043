import { Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { usePlace } from '../../../api/session.ts';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import classes from './mail.module.css';
import { type MailText, previewQuery } from './queries.ts';

const typingMilliseconds = 400;

interface Props {
  readonly name: string;
  readonly text: MailText;
}

/**
 * What a user would get, with sample values, shortly after the last key. HTML is shown as its source: a page could load
 * pictures from elsewhere.
 */
export function MailPreview({ name, text }: Props) {
  const { env } = usePlace();
  const [settled] = useDebouncedValue(text, typingMilliseconds);
  const preview = useQuery({ ...previewQuery(env, name, settled), placeholderData: keepPreviousData });
  return (
    <Paper withBorder p="md" component="section" aria-label="Preview" aria-busy={preview.isPending}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          Preview
        </Title>
        {preview.isError ? (
          <ProblemAlert error={preview.error} />
        ) : preview.data === undefined ? (
          <Skeleton height={240} />
        ) : (
          <Written mail={preview.data} />
        )}
      </Stack>
    </Paper>
  );
}

function Written({ mail: { subject, text, html } }: { readonly mail: MailText }) {
  return (
    <>
      <Text fw={600} className={classes.written}>
        {subject}
      </Text>
      <Text size="sm" className={classes.written}>
        {text}
      </Text>
      {html !== undefined && (
        <>
          <Text size="sm" c="dimmed">
            As HTML, whose look a test mail shows:
          </Text>
          <Text size="sm" className={`${classes.written} ${classes.template}`}>
            {html}
          </Text>
        </>
      )}
    </>
  );
}
