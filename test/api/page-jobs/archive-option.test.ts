import { describe, expect, it } from 'vitest';
import { keepsResponses } from '../../../src/api/page-jobs/archive-option.ts';

const request = { lockdown: false, redactPII: false as const };
const redacting = { ...request, redactPII: true };

describe('whether a job keeps the responses of the sites', () => {
  it('is what its request says, or else what the operator has set', () => {
    expect(keepsResponses(request, { archivesPages: false })).toBe(false);
    expect(keepsResponses(request, { archivesPages: true })).toBe(true);
    expect(keepsResponses({ ...request, archive: false }, { archivesPages: true })).toBe(false);
    expect(keepsResponses({ ...request, archive: true }, { archivesPages: false })).toBe(true);
  });

  it.each([
    ['redactPII', redacting],
    ['lockdown', { ...request, lockdown: true }],
    ['minAge', { ...request, minAge: 1 }],
  ])('is refused with %s, unless only the operator wants them', (option, options) => {
    expect(keepsResponses(options, { archivesPages: true })).toBe(false);
    expect(keepsResponses({ ...options, archive: false }, { archivesPages: true })).toBe(false);
    expect(() => keepsResponses({ ...options, archive: true }, { archivesPages: true })).toThrow(
      new RegExp(`^archive .*${option}.*Leave one of them out\\.$`),
    );
  });
});
