import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { keyOfKind } from '../../components/item-versions.tsx';
import { ConflictAlert } from '../config/conflict-alert.tsx';
import type { Setting } from '../config/queries.ts';
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
    <ConflictAlert
      theirs={theirs}
      reported={({ version }) =>
        version === 0 ? 'It has its default now:' : `This is stored now as version ${version}:`
      }
      contentOf={contentOf}
      onTheirs={() => void takeTheirs()}
      onMine={({ version }) => draft.saveOver(version)}
    />
  );
}
