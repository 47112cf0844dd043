import { useMutation } from '@tanstack/react-query';
import { call } from '../../../api/call.ts';
import { queryClient } from '../../../api/query-client.ts';
import type { PolicyDraft } from '../policy-draft.ts';
import { type StoredTemplates, setting } from './templates.ts';
import { withTemplate } from './with-template.ts';

interface Change {
  /** As they were read last. A faster author's are kept by 412. */
  readonly stored: StoredTemplates;
  readonly before: string | undefined;
  readonly after: PolicyDraft | undefined;
}

/** Saves one template among the others. */
export function useSaveTemplates() {
  return useMutation({
    mutationFn: async ({ stored, before, after }: Change) => {
      const content = { ...stored.content, value: withTemplate(stored.templates, before, after) };
      if (stored.tag === undefined)
        await call('makeConfigItem', { params: { kind: 'settings' }, body: { name: setting, content } });
      else
        await call('replaceConfigItem', {
          params: { kind: 'settings', name: setting },
          headers: { 'If-Match': stored.tag },
          body: content,
        });
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['templates'] }),
  });
}
