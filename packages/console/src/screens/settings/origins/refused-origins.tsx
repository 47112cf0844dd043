import { Fieldset, Table, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../../../api/call.ts';
import { usePlace } from '../../../api/session.ts';
import { Loaded } from '../../../components/loaded.tsx';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { When } from '../../../components/when.tsx';
import classes from '../settings.module.css';
import type { SettingDraft } from '../use-setting-draft.ts';

const refusedOriginsQuery = queryOptions({
  queryKey: ['refused origins'],
  queryFn: ({ signal }) => call('listRefusedOrigins', { signal }),
});

/** The pages that could not read a reply, each with a click that lets it. */
export function RefusedOrigins({ draft }: { readonly draft: SettingDraft }) {
  const refused = useQuery(refusedOriginsQuery);
  return (
    <Fieldset legend="Origins that were refused lately">
      <Loaded query={refused}>
        {({ items }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              None since the platform started. If a page of yours cannot call the app, its origin appears here.
            </Text>
          ) : (
            <div className={classes.scroll}>
              <Table aria-label="Origins that were refused lately">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Origin</Table.Th>
                    <Table.Th>Refused</Table.Th>
                    <Table.Th>Last</Table.Th>
                    <Table.Th />
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {items.map(({ origin, count, last_at }) => (
                    <Table.Tr key={origin}>
                      <Table.Td style={{ overflowWrap: 'anywhere' }}>{origin}</Table.Td>
                      <Table.Td>{count === 1 ? 'once' : `${count} times`}</Table.Td>
                      <Table.Td>
                        <When at={last_at} />
                      </Table.Td>
                      <Table.Td ta="right">
                        <AllowOrigin draft={draft} origin={origin} />
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </div>
          )
        }
      </Loaded>
      <Text size="xs" c="dimmed" mt="xs">
        Calls of both environments are counted, since this process of the platform started.
      </Text>
    </Fieldset>
  );
}

function AllowOrigin({ draft, origin }: { readonly draft: SettingDraft; readonly origin: string }) {
  const { readOnlyReason, adminReason } = usePlace();
  const { content, isDirty, isSaving } = draft;
  const listed = content.value as readonly string[];
  const reason =
    readOnlyReason ??
    adminReason ??
    (isDirty ? 'Save or discard what you have changed first.' : whyNot(listed, content.prod_value, origin));
  return (
    <ReasonedButton
      reason={reason}
      size="compact-sm"
      variant="default"
      loading={isSaving}
      aria-label={`Allow in test: ${origin}`}
      onClick={() => draft.saveAs({ ...content, value: [...listed, origin] })}
    >
      Allow in test
    </ReasonedButton>
  );
}

/** Why an origin cannot be added; undefined where it can. */
function whyNot(listed: readonly string[], ofProduction: unknown, origin: string): string | undefined {
  if (!/^(https?:\/\/[^/]+|(capacitor|ionic|tauri):\/\/localhost)$/.test(origin))
    return 'Only pages of http and https, and apps of Capacitor, Ionic and Tauri, can be allowed.';
  if (!listed.includes(origin)) return undefined;
  return ofProduction === undefined
    ? 'Test allows it already. A deploy brings the list to production.'
    : 'Test allows it already. Add it to the list of production if it is missing there.';
}
