import { useMutation } from '@tanstack/react-query';
import { callApp } from '../../api/app.ts';
import { queryClient } from '../../api/query-client.ts';
import { accessKey, type GroupDetails } from '../policies/queries.ts';
import { useBuilder } from '../policies/use-builder.ts';

/** Changes a group as it was shown. If another author changed it meanwhile, it is read again and stays as it is (412). */
export function useSaveGroup({ id, version }: GroupDetails) {
  const actor = useBuilder();
  return useMutation({
    mutationFn: async (change: { readonly name: string } | { readonly acl_policies: readonly string[] }) => {
      if (actor === undefined) return;
      const headers = { 'If-Match': `"${version}"` };
      await callApp(actor, 'PUT', `/update/group/${id}`, { headers, body: change });
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: [accessKey] }),
  });
}
