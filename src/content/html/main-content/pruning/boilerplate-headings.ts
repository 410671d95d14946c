import type { PageType } from '../page-type/page-type.ts';

const anyOf = (...titles: string[]) => new RegExp(`^(${titles.join('|')})[:.…]?$`, 'i');

/** Headings of boilerplate sections on any page. */
const ON_ANY_PAGE = [
  'you (may|might) also (like|enjoy)',
  '(more|other) (from|like this|stories|posts|articles|in)\\b.*',
  '(more|other)( \\S+){1,3} (stories|articles|coverage|reading)',
  '(read|see) (more|next|also).*',
  'leave a (comment|reply).*',
  '(\\d+ )?(comments?|responses?|replies)( \\(?\\d+\\)?)?',
  'post a comment',
  '(about|meet) (the|our) (authors?|reviewers?|editors?|writers?)',
  'share( this.*)?',
  '(recent|latest|popular) (posts|articles|comments|news|stories)',
  'most (read|popular|viewed)',
  'similar (posts|articles|stories|content)',
  '(subscribe|sign up|join)( .*(newsletter|list|email|updates).*)?',
  'newsletter',
  'follow us.*',
  'what to read next|up next|keep reading',
  'don.t miss.*',
  'categories|tags|archives|advertisement',
  'stay (connected|in touch|up to date).*',
  'cookies?( (policy|settings|preferences|notice|consent|statement|declaration).*)?|privacy (policy|overview)',
  '(previous|next) (post|article)|(post )?navigation',
  '(table of )?contents|on this page|in this article',
];
/** Links to related pages are boilerplate except on listings. */
const RELATED = '(related|recommended|trending)( .*)?';
/** In documentation, more than pages may be related to its subject. */
const RELATED_PAGES =
  '(related|recommended|trending)( (articles?|content|pages?|posts?|stories|topics?|links?|reading|resources|videos|questions|guides?|products|documentation|documents|information))?';
const ON_PRODUCTS = [
  '(customers|people|shoppers|others) (who|also) .*',
  'frequently bought.*|recently viewed.*',
  '(you may|you might|also) .*',
  'complete (the|your) .*|pairs? (well )?with.*',
  'similar (items|products)|.*related products.*|.*recommend.*',
  '((customer|product|top|guest) )?(reviews?|ratings?)( .*)?|write a review',
  'questions? (&|and) answers?|customer (questions|photos|images).*',
  'shop (the|by|more).*|more (from|to) .*|best ?sellers?|featured products|new arrivals|sponsored.*',
  'shipping.*|returns?( .*)?|need help.*|contact us.*',
  '(others|people) .*also (bought|viewed|like).*|.* also bought|products? related to .*',
  '(keep|continue) (exploring|shopping).*|explore (more|other|similar|all).*|more to explore',
  'notify me.*|.*back.in.stock.*|.*price (alert|drop).*',
  'why (buy|shop)\\b.*|why .* place to (buy|shop).*',
  '(delivery|warranty|payment|financing)( .*)?|(more )?ways to pay',
  '(seller|buyer|customer) (feedback|reviews).*|feedback',
  'accessories( for .*)?|as seen (on|in) .*|(get|shop) the look|compare (with )?(similar|other).*',
  'das könnte (ihnen|dir) auch .*|kunden (kauften|kaufen|interessierten).*|ähnliche (produkte|artikel)|zuletzt angesehen.*',
  'vous aimerez .*|(produits|articles) (similaires|associés|liés|complémentaires)|(les )?clients ont .*',
  '(productos|artículos) (relacionados|similares)|también te .*|produtos (relacionados|semelhantes)|você também .*',
  'prodotti (correlati|simili)|potrebbe(ro)? (anche )?(interessarti|piacerti).*|(gerelateerde|vergelijkbare) producten',
];
/** Links to other categories. */
const ON_LISTINGS = [
  '(related|popular|top|trending|similar) (searches|search terms)|people also search(ed)?( for)?',
  '(related|similar) (categories|collections|topics|pages|links)',
  'recently viewed.*|(your )?(browsing|viewing) history',
  'need help.*|join (now|us|today|our|the) .*|(delivery|shipping|returns)( .*)?|why (buy|shop)\\b.*',
];
const ON_SERVICES = [
  'what.s (trending|new|happening|next).*',
  '(latest|recent|featured|upcoming) (news|posts?|articles?|insights?|resources?|stories|events?|updates?|blogs?|innovations?|thinking|research)\\b.*',
  '(news|events|insights|blogs?|resources|stories)( (and|&) (news|events|insights|blogs?|resources|stories|notes|updates|articles).*)?',
  '((from|read|visit|explore|check out) )?(our|the) (latest )?(blog|news|insights|resources)\\b.*',
  '(more|additional|other|helpful|useful) (resources|reading|insights|guides)\\b.*|(guides|resources|articles) related to .*',
  'did you find what .*|was this (page|information) helpful.*|(start|join) the conversation',
];
/** A shorter list, because documentation may explain cookies, categories or the comments of a language. */
const ON_DOCUMENTATION = [
  'leave a (comment|reply).*|post a comment',
  '(was|did) this .*|((send|give|provide|leave) )?(us )?(your )?feedback|help (us )?(improve|make)\\b.*',
  '(still )?need (more )?help\\?|did you find (what|this)\\b.*',
  'share this.*|edit this .*',
  '(subscribe|sign up|join)( .*(newsletter|list|email|updates).*)?|newsletter',
  '(recent|latest|popular) (posts|articles|comments|news|stories)',
  '(more|other) (from|like this|stories|posts|articles)\\b.*',
  'what to read next|up next|keep reading|(previous|next) (topic|page|post|article)|(post )?navigation',
  '(table of )?contents|on this page|in this (article|page|topic|section)',
  'this page|quick search|contributors?|last updated.*',
];
/** A shorter list, because replies and recommended answers are the content of a forum. */
const ON_FORUMS = [
  '(similar|related|recent) (threads|topics|content|discussions|questions).*',
  '(log|sign) (in|up).*|create an account.*|join the conversation',
  'share( this.*)?|hot network questions',
  '(your|post an|know someone).* answer.*',
];
/** The headings of boilerplate sections, by page type. */
export const BOILERPLATE_HEADINGS: Record<PageType, RegExp> = {
  article: anyOf(...ON_ANY_PAGE, RELATED),
  documentation: anyOf(...ON_DOCUMENTATION, RELATED_PAGES),
  service: anyOf(...ON_ANY_PAGE, RELATED, ...ON_SERVICES),
  listing: anyOf(...ON_ANY_PAGE, ...ON_LISTINGS),
  product: anyOf(...ON_ANY_PAGE, RELATED, ...ON_PRODUCTS),
  forum: anyOf(...ON_FORUMS),
};
