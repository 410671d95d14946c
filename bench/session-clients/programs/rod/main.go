// Drives a browser session by rod; ../../../run-client.ts says what each step has to show.
package main

import (
	"encoding/base64"
	"os"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
	"winnow-session-clients/steps"
)

var site = steps.Setting("SITE")

func connect(url string) (*rod.Browser, error) {
	browser := rod.New().ControlURL(url)
	return browser, browser.Connect()
}

func open(page *rod.Page, url string) error {
	if err := page.Navigate(url); err != nil {
		return err
	}
	return page.WaitLoad()
}

func titlesOf(pages ...*rod.Page) ([]string, error) {
	titles := []string{}
	for _, page := range pages {
		info, err := page.Info()
		if err != nil {
			return nil, err
		}
		titles = append(titles, info.Title)
	}
	return titles, nil
}

func main() {
	var browser *rod.Browser
	var page *rod.Page
	steps.Step("connect", func() (any, error) {
		var err error
		if browser, err = connect(steps.Setting("URL")); err != nil {
			return nil, err
		}
		pages, err := browser.Pages()
		page = pages.First()
		return nil, err
	})
	steps.Step("navigate", func() (any, error) {
		if err := open(page, site+"/"); err != nil {
			return nil, err
		}
		info, err := page.Info()
		return info.Title, err
	})
	steps.Step("upload", func() (any, error) { return upload(page) })
	steps.Step("download", func() (any, error) { return download(browser, page) })
	steps.Step("tabs", func() (any, error) { return tabs(browser, page) })
	steps.Step("reconnect", func() (any, error) {
		err := browser.Close()
		if err != nil {
			return nil, err
		}
		if browser, err = connect(steps.Setting("URL")); err != nil {
			return nil, err
		}
		pages, err := browser.Pages()
		if err != nil {
			return nil, err
		}
		page = pages.First()
		return titlesOf(pages...)
	})
	steps.Step("unreachable", func() (any, error) { return nil, open(page, steps.Setting("UNREACHABLE")) })
	steps.Step("private", func() (any, error) { return nil, open(page, steps.Setting("PRIVATE")) })
	steps.Step("ended", func() (any, error) {
		_, err := connect(steps.Setting("ENDED"))
		return nil, err
	})
	steps.Step("unknown", func() (any, error) {
		_, err := connect(steps.Setting("UNKNOWN"))
		return nil, err
	})
	steps.Step("killed", func() (any, error) {
		if err := steps.EndSession(); err != nil {
			return nil, err
		}
		_, err := page.Evaluate(rod.Eval("() => new Promise(() => undefined)").ByPromise())
		return nil, err
	})
}

func upload(page *rod.Page) (any, error) {
	if err := steps.Upload(); err != nil {
		return nil, err
	}
	input, err := page.Element("input")
	if err != nil {
		return nil, err
	}
	if err = input.SetFiles([]string{steps.Setting("FILE")}); err != nil {
		return nil, err
	}
	text, err := page.Evaluate(rod.Eval(`() => document.querySelector("input").files[0].text()`).ByPromise())
	if err != nil {
		return nil, err
	}
	return text.Value.Str(), nil
}

func click(page *rod.Page, selector string) error {
	element, err := page.Element(selector)
	if err != nil {
		return err
	}
	return element.Click(proto.InputMouseButtonLeft, 1)
}

func download(browser *rod.Browser, page *rod.Page) (any, error) {
	wait := browser.WaitDownload(os.TempDir())
	if err := click(page, "#download"); err != nil {
		return nil, err
	}
	wait()
	read, err := proto.IORead{Handle: steps.DownloadHandle}.Call(page)
	if err != nil {
		return nil, err
	}
	text, err := base64.StdEncoding.DecodeString(read.Data)
	return map[string]string{"text": string(text)}, err
}

func tabs(browser *rod.Browser, page *rod.Page) (any, error) {
	second, err := browser.Page(proto.TargetCreateTarget{URL: "about:blank"})
	if err != nil {
		return nil, err
	}
	if err = open(second, site+"/second"); err != nil {
		return nil, err
	}
	if _, err = page.Activate(); err != nil {
		return nil, err
	}
	wait := page.WaitOpen()
	if err = click(page, "#popup"); err != nil {
		return nil, err
	}
	popup, err := wait()
	if err != nil {
		return nil, err
	}
	if _, err = popup.Element("#popup-text"); err != nil {
		return nil, err
	}
	titles, err := titlesOf(page, second, popup)
	if err != nil {
		return nil, err
	}
	return titles, popup.Close()
}
