import { Skeleton } from '@mantine/core';
import { lazyPart } from '../lazy.tsx';

/** The editor of JSON, which is loaded when it is first shown, with a skeleton as tall as the text that comes. */
export const jsonEditorPart = (height: number) =>
  lazyPart(async () => (await import('./json-editor.tsx')).JsonEditor, <Skeleton height={height} />);
