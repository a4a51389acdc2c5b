// SPDX-License-Identifier: MIT
export { searchCount } from './search-count.ts';
