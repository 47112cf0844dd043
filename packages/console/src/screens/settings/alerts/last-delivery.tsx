import type { alertWebhookApi } from '@freehold/contract/management/alert-webhook';
import type { ReplyOf } from '@freehold/contract/route';
import { Alert, Text } from '@mantine/core';
import { When } from '../../../components/when.tsx';
import classes from '../settings.module.css';

type Delivery = ReplyOf<typeof alertWebhookApi.showAlertWebhook>['last_delivery'];

/** The outcome of the last message, as a sentence. */
export function LastDelivery({ delivery }: { readonly delivery: Delivery }) {
  if (delivery === null)
    return (
      <Text size="sm" c="dimmed">
        No message was sent yet.
      </Text>
    );
  const { state, type, attempts, at, status, failure, next_attempt_at } = delivery;
  const tries = attempts === 1 ? 'the first attempt' : `${attempts} attempts`;
  if (state === 'delivered')
    return (
      <Text size="sm">
        The last message ({type}) arrived <When at={at} />, with {tries}.
      </Text>
    );
  const why = failure ?? (status === null ? 'there was no answer' : `the answer has the status ${status}`);
  return (
    <Alert
      color={state === 'failed' ? 'red' : 'yellow'}
      role="note"
      classNames={{ title: classes.alertTitle ?? '' }}
      title={
        state === 'failed'
          ? 'The last message did not arrive, and is not sent again.'
          : 'The last message did not arrive yet.'
      }
    >
      {type}, <When at={at} />, after {tries}: {why}
      {next_attempt_at === null ? '.' : ' – the next attempt is '}
      {next_attempt_at !== null && <When at={next_attempt_at} />}
    </Alert>
  );
}
