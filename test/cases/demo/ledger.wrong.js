export function balance(entries) {
  return entries.reduce((sum, entry) => sum + Math.abs(entry.amount), 0);
}

export const overdrawn = (entries) => balance(entries) < 0;
