// Drives a browser session by chromedp; ../../../run-client.ts says what each step has to show.
package main

import (
	"context"

	"github.com/chromedp/cdproto/browser"
	protocolio "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
	"winnow-session-clients/steps"
)

const readFile = `document.querySelector("input").files[0].text()`

var site = steps.Setting("SITE")

// connect opens a tab of its own, unless there is one of the id.
func connect(url string, options ...chromedp.ContextOption) (context.Context, context.CancelFunc, error) {
	// chromedp looks for /json/version at the root of the host otherwise.
	allocator, disconnect := remote.NewAllocator(context.Background(), url, remote.NoModifyURL)
	ctx, _ := chromedp.NewContext(allocator, options...)
	return ctx, disconnect, chromedp.Do(ctx)
}

func titleIn(ctx context.Context, steps ...chromedp.Action[chromedp.Void]) (string, error) {
	if err := chromedp.Do(ctx, steps...); err != nil {
		return "", err
	}
	return chromedp.Run(ctx, chromedp.Title())
}

func main() {
	var ctx context.Context
	var disconnect context.CancelFunc
	steps.Step("connect", func() (any, error) {
		var err error
		ctx, disconnect, err = connect(steps.Setting("URL"), chromedp.WithDetachOnCancel())
		return nil, err
	})
	steps.Step("navigate", func() (any, error) { return titleIn(ctx, chromedp.Navigate(site+"/")) })
	steps.Step("upload", func() (any, error) {
		if err := steps.Upload(); err != nil {
			return nil, err
		}
		if err := chromedp.Do(ctx, chromedp.SetUploadFiles(chromedp.CSS("input"), []string{steps.Setting("FILE")})); err != nil {
			return nil, err
		}
		return chromedp.Run(ctx, chromedp.Evaluate[string](readFile, chromedp.EvalAwaitPromise))
	})
	steps.Step("download", func() (any, error) { return download(ctx) })
	steps.Step("tabs", func() (any, error) { return tabs(ctx) })
	steps.Step("reconnect", func() (any, error) {
		disconnect()
		var err error
		if ctx, _, err = connect(steps.Setting("URL")); err != nil {
			return nil, err
		}
		return titles(ctx)
	})
	for name, setting := range map[string]string{"unreachable": "UNREACHABLE", "private": "PRIVATE"} {
		steps.Step(name, func() (any, error) { return nil, chromedp.Do(ctx, chromedp.Navigate(steps.Setting(setting))) })
	}
	for name, setting := range map[string]string{"ended": "ENDED", "unknown": "UNKNOWN"} {
		steps.Step(name, func() (any, error) {
			_, _, err := connect(steps.Setting(setting))
			return nil, err
		})
	}
	steps.Step("killed", func() (any, error) {
		if err := steps.EndSession(); err != nil {
			return nil, err
		}
		_, err := chromedp.Run(ctx, chromedp.Evaluate[string]("new Promise(() => undefined)", chromedp.EvalAwaitPromise))
		return nil, err
	})
}

func download(ctx context.Context) (any, error) {
	isTrue := true
	wanted := browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: "/tmp", EventsEnabled: &isTrue,
	}
	if _, err := chromedp.CallBrowser(ctx, browser.SetDownloadBehavior, wanted); err != nil {
		return nil, err
	}
	progress := chromedp.BrowserEvents(ctx, browser.DownloadProgress)
	if err := chromedp.Do(ctx, chromedp.Click(chromedp.ID("download"))); err != nil {
		return nil, err
	}
	for event, err := range progress {
		if err != nil {
			return nil, err
		}
		if event.State != browser.DownloadProgressStateInProgress {
			break
		}
	}
	read, err := chromedp.CallBrowser(ctx, protocolio.Read, protocolio.ReadParams{Handle: steps.DownloadHandle})
	if err != nil {
		return nil, err
	}
	// cdproto decodes base64 by itself.
	return map[string]string{"text": string(read.Data)}, nil
}

func tabs(ctx context.Context) (any, error) {
	second, closeSecond := chromedp.NewContext(ctx, chromedp.WithDetachOnCancel())
	defer closeSecond()
	titleOfSecond, err := titleIn(second, chromedp.Navigate(site+"/second"))
	if err != nil {
		return nil, err
	}
	opened := chromedp.WaitNewTarget(ctx, func(info *target.Info) bool { return info.URL != "" })
	title, err := titleIn(ctx, chromedp.Click(chromedp.ID("popup")))
	if err != nil {
		return nil, err
	}
	popup, closePopup := chromedp.NewContext(ctx, chromedp.WithTargetID(<-opened))
	defer closePopup()
	titleOfPopup, err := titleIn(popup, chromedp.WaitReady(chromedp.CSS("#popup-text")))
	return []string{title, titleOfSecond, titleOfPopup}, err
}

func titles(ctx context.Context) (any, error) {
	targets, err := chromedp.Targets(ctx)
	if err != nil {
		return nil, err
	}
	found := []string{}
	for _, each := range targets {
		if each.Type != "page" {
			continue
		}
		tab, detach := chromedp.NewContext(ctx, chromedp.WithTargetID(each.TargetID), chromedp.WithDetachOnCancel())
		title, err := chromedp.Run(tab, chromedp.Title())
		detach()
		if err != nil {
			return nil, err
		}
		found = append(found, title)
	}
	return found, nil
}
