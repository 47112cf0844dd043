/** Files that leave the page. */

interface WritableFile {
  createWritable(): Promise<WritableStream<Uint8Array>>;
}

/** Where the browser lets a page write to a file that the user names; others keep the file until it is complete. */
interface Picker {
  readonly showSaveFilePicker?: (options: { readonly suggestedName: string }) => Promise<WritableFile>;
}

/** Hands a file to the user, in the folder of downloads. */
export function download(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has taken hold of the file by the next round of the event loop.
  setTimeout(() => URL.revokeObjectURL(link.href));
}

/** Where a stream goes to; to be opened by a click. */
export interface FileTarget {
  write(stream: ReadableStream<Uint8Array>, type: string): Promise<void>;
}

/** Asks where to save. @returns undefined if the user does not want to after all. */
export async function openTarget(name: string): Promise<FileTarget | undefined> {
  const { showSaveFilePicker } = globalThis as Picker;
  if (showSaveFilePicker === undefined)
    return {
      write: async (stream, type) => {
        const whole = await new Response(stream).blob();
        download(name, new Blob([whole], { type }));
      },
    };
  try {
    const file = await showSaveFilePicker({ suggestedName: name });
    return { write: async (stream) => stream.pipeTo(await file.createWritable()) };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    throw error;
  }
}
