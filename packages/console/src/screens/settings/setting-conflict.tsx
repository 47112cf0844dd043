import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { keyOfKind } from '../../components/item-versions.tsx';
import { JsonBlock } from '../../components/json-block.tsx';
import { Loaded } from '../../components/loaded.tsx';
import type { Setting } from '../config/queries.ts';
import classes from './settings.module.css';
import { contentOf, type SettingDraft } from './use-setting-draft.ts';

/** Two builders changed the setting: what the other one saved, and which value is to hold. */
export function SettingConflict({ draft }: { readonly draft: SettingDraft }) {
  const theirs = useQuery({
    queryKey: [keyOfKind('settings'), 'theirs', draft.key],
    queryFn: async ({ signal }) => {
      const { items } = await call('listSettings', { query: { env: 'test' }, signal });
      const found = (items as readonly Setting[]).find(({ group, name }) => `${group}.${name}` === draft.key);
      if (found === undefined) throw new Error(`there is no setting ${draft.key}`);
      return found;
    },
    gcTime: 0,
  });
  const takeTheirs = async () => {
    await queryClient.invalidateQueries({ queryKey: [keyOfKind('settings')] });
    draft.discard();
  };
  return (
    <Alert
      color="yellow"
      role="alert"
      classNames={{ title: classes.alertTitle ?? '' }}
      title="It was changed since you opened it. Nothing of yours is saved."
    >
      <Loaded query={theirs}>
        {(setting) => (
          <Stack gap="sm">
            <Text size="sm">
              {setting.version === 0 ? 'It has its default now:' : `This is stored now as version ${setting.version}:`}
            </Text>
            <JsonBlock label="What is stored now" value={contentOf(setting)} />
            <Group gap="xs">
              <Button variant="default" size="compact-sm" onClick={() => void takeTheirs()}>
                Drop my changes and go on from it
              </Button>
              <Button color="red" variant="light" size="compact-sm" onClick={() => draft.saveOver(setting.version)}>
                Save mine in its place
              </Button>
            </Group>
          </Stack>
        )}
      </Loaded>
    </Alert>
  );
}
