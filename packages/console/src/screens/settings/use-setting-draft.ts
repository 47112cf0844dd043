import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { callWhole } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { keyOfKind } from '../../components/item-versions.tsx';
import type { Setting } from '../config/queries.ts';

export interface SettingContent {
  readonly value: unknown;
  readonly prod_value?: unknown;
}

interface EditedSetting {
  readonly content: SettingContent;
  /** The version that the draft began with. */
  readonly version: number;
}

export interface SettingDraft {
  readonly key: string;
  /** As it is shown: the draft, or what is stored. */
  readonly content: SettingContent;
  readonly isDirty: boolean;
  readonly isSaving: boolean;
  readonly isSaved: boolean;
  readonly problem: Error | null;
  /** Whether another builder saved the setting since the draft was begun. */
  readonly isOvertaken: boolean;
  change(content: SettingContent): void;
  discard(): void;
  save(): void;
  /** Changes the setting and saves it at once. */
  saveAs(content: SettingContent): void;
  /** Saves the draft over the version that is stored now. */
  saveOver(version: number): void;
  errorAt(pointer: string): string | undefined;
}

/** What is typed of a setting. A save is held to the version that the typing began with, so no change by another is lost. */
export function useSettingDraft(setting: Setting): SettingDraft {
  const key = `${setting.group}.${setting.name}`;
  const [started, setStarted] = useState<EditedSetting>();
  const stored = contentOf(setting);
  const isDirty = started !== undefined && JSON.stringify(started.content) !== JSON.stringify(stored);
  const save = useMutation({
    mutationFn: ({ content, version }: EditedSetting) =>
      callWhole('replaceConfigItem', {
        params: { kind: 'settings', name: key },
        headers: version === 0 ? { 'If-None-Match': '*' } : { 'If-Match': `"${version}"` },
        body: content,
      }),
    onSuccess: async ({ body }, saved) => {
      await queryClient.invalidateQueries({ queryKey: [keyOfKind('settings')] });
      // More may have been typed while this was saved.
      setStarted((now) =>
        now === undefined || now.content === saved.content ? undefined : { ...now, version: body.version },
      );
    },
  });
  const problem = save.error instanceof ApiProblem ? save.error : undefined;
  return {
    key,
    content: started?.content ?? stored,
    isDirty,
    isSaving: save.isPending,
    isSaved: save.isSuccess && !isDirty,
    problem: save.error,
    isOvertaken: problem?.code === 'version_mismatch',
    change: (content) => setStarted((now) => ({ content, version: now?.version ?? setting.version })),
    discard: () => {
      setStarted(undefined);
      save.reset();
    },
    save: () => {
      if (started !== undefined) save.mutate(started);
    },
    saveAs: (content) => {
      const mine = { content, version: started?.version ?? setting.version };
      setStarted(mine);
      save.mutate(mine);
    },
    saveOver: (version) => {
      if (started === undefined) return;
      const mine = { ...started, version };
      setStarted(mine);
      save.mutate(mine);
    },
    errorAt: (pointer) => problem?.errorAt(pointer),
  };
}

export function contentOf({ value, ...others }: Setting): SettingContent {
  return 'prod_value' in others ? { value, prod_value: others.prod_value } : { value };
}
