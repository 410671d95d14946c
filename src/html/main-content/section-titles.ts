import type { PageType } from './page-type.ts';

const anyOf = (...titles: string[]) => new RegExp(`^(${titles.join('|')})[:.…]?$`, 'i');

/** How sections are headed that stand beside the content of any page. */
const BESIDE = [
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
  'cookie.*|privacy (policy|overview)',
  '(previous|next) (post|article)|(post )?navigation',
  '(table of )?contents|on this page|in this article',
];
/** Only what is no list itself has related pages beside it. */
const RELATED = '(related|recommended|trending)( .*)?';
const BESIDE_PRODUCTS = [
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
/** Ways to other shelves. */
const BESIDE_LISTS = [
  '(related|popular|top|trending|similar) (searches|search terms)|people also search(ed)?( for)?',
  '(related|similar) (categories|collections|topics|pages|links)',
  'recently viewed.*|(your )?(browsing|viewing) history',
  'need help.*|join (now|us|today|our|the) .*|(delivery|shipping|returns)( .*)?|why (buy|shop)\\b.*',
];
const BESIDE_SERVICES = [
  'what.s (trending|new|happening|next).*',
  '(latest|recent|featured|upcoming) (news|posts?|articles?|insights?|resources?|stories|events?|updates?|blogs?|innovations?|thinking|research)\\b.*',
  '(news|events|insights|blogs?|resources|stories)( (and|&) (news|events|insights|blogs?|resources|stories|notes|updates|articles).*)?',
  '((from|read|visit|explore|check out) )?(our|the) (latest )?(blog|news|insights|resources)\\b.*',
  '(more|additional|other|helpful|useful) (resources|reading|insights|guides)\\b.*|(guides|resources|articles) related to .*',
  'did you find what .*|was this (page|information) helpful.*|(start|join) the conversation',
];
/** What else these words head may be what is explained: cookies, categories, comments of a language. */
const BESIDE_DOCUMENTATION = [
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
/** Replies and recommended answers are what forums are made of. */
const BESIDE_THREADS = [
  '(similar|related|recent) (threads|topics|content|discussions|questions).*',
  '(log|sign) (in|up).*|create an account.*|join the conversation',
  'share( this.*)?|hot network questions',
  '(your|post an|know someone).* answer.*',
];
/** How sections are headed that stand beside the content, by the type of the page. */
export const TITLES_BESIDE: Record<PageType, RegExp> = {
  article: anyOf(...BESIDE, RELATED),
  documentation: anyOf(...BESIDE_DOCUMENTATION, RELATED),
  service: anyOf(...BESIDE, RELATED, ...BESIDE_SERVICES),
  listing: anyOf(...BESIDE, ...BESIDE_LISTS),
  product: anyOf(...BESIDE, RELATED, ...BESIDE_PRODUCTS),
  forum: anyOf(...BESIDE_THREADS),
};
