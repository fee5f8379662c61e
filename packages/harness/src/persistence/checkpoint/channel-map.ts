/** Which value each channel has in a checkpoint, as text: `{"messages":[5,0],"branch:to:model":[4]}`. */

export type ChannelVersion = number | string;

export interface ChannelPlace {
  readonly version: ChannelVersion;
  /** Which of the values with this version; undefined when the channel has a version and no value. */
  readonly branch: number | undefined;
}

export type ChannelMap = ReadonlyMap<string, ChannelPlace>;

export const channelMapToText = (channels: ChannelMap): string =>
  JSON.stringify(
    Object.fromEntries(
      [...channels].map(([channel, { version, branch }]) => [
        channel,
        branch === undefined ? [version] : [version, branch],
      ]),
    ),
  );

/** Reads what `channelMapToText` wrote. */
export function channelMapFromText(text: string): ChannelMap {
  // Only this file writes the column.
  const channels = JSON.parse(text) as Record<string, [ChannelVersion, number?]>;
  return new Map(
    Object.entries(channels).map(([channel, [version, branch]]) => [channel, { version, branch }]),
  );
}
