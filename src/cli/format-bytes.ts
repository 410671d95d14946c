const MIB = 1024 * 1024;

/** Writes a size for people, such as `12.3 MiB`. */
export const formatBytes = (bytes: number): string =>
  bytes >= 1024 * MIB ? `${(bytes / 1024 / MIB).toFixed(2)} GiB` : `${(bytes / MIB).toFixed(1)} MiB`;
