/** By which the nodes that share a store tell each other at once what they have changed. */

export interface SignalEars {
  /** A text of any node, this one included, in the order in which the server took them. */
  heard(text: string): void;
  /** No text comes any more. */
  lost(): void;
}

/** INVARIANT: from its opening on, every text that the server takes is heard, until it is lost. */
export interface SignalChannel {
  /** Resolves when the server has taken a text of at most {@link signalBytesMax} bytes; a rejection leaves that open. */
  send(text: string): Promise<void>;
  close(): Promise<void>;
}

export const signalBytesMax = 7000;
