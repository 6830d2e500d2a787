export function balance(entries) {
  return entries.reduce((sum, entry) => sum + entry.amount, 0);
}

export const overdrawn = (entries) => balance(entries) < 0;
